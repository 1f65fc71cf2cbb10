"""`python -m hudi_core`: the command line."""

from __future__ import annotations

from hudi_core.cli.main import run

if __name__ == "__main__":
    run()
