"""The version of the distribution, in one place: the build reads it here."""

__version__ = "0.24.0"
