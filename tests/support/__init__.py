"""What several tests share: the finder of conformance data and Hypothesis strategies."""
