"""What an Apache Hudi table means, free of any engine."""
