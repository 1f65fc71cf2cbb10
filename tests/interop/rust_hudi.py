"""hudi-rs 0.6, by a program that cargo builds into the folder that `HUDI_RS_TARGET` names."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

MANIFEST = Path(__file__).parent / "rust" / "Cargo.toml"
TARGET = "HUDI_RS_TARGET"


@dataclass(frozen=True)
class RustHudi:
    """Runs commands of `rust/src/main.rs`; rows go to it and come from it as files of Arrow in a folder."""

    program: Path
    folder: Path

    @staticmethod
    def of_this_machine(folder: Path) -> RustHudi:
        """The one that this machine can build; skips the calling test, with the reason, where it cannot."""
        target = os.environ.get(TARGET)
        if not target:
            pytest.skip(f"hudi-rs is built by cargo, in half an hour, only into a folder that {TARGET} names")
        if shutil.which("cargo") is None:
            pytest.skip("no cargo to build hudi-rs by")
        build = ["cargo", "build", "--quiet", "--manifest-path", str(MANIFEST), "--target-dir", target]
        built = subprocess.run(build, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr[-3000:]
        return RustHudi(Path(target) / "debug" / "tables", folder)

    def run(self, *commands: Sequence[object]) -> None:
        """Runs commands in one process, one after the other. Tables of rows among their parts are put into files."""
        file = self.folder / "commands"
        lines = ["\t".join(str(self._part(part)) for part in command) for command in commands]
        file.write_text("\n".join(lines) + "\n", "utf-8")
        ran = subprocess.run([self.program, file], capture_output=True, text=True, check=False, timeout=120)
        assert ran.returncode == 0, f"{lines}: {ran.stderr[-3000:]}"

    def read(self, table: Path) -> pa.Table:
        """The rows of a table, as it reads them."""
        out = self.folder / "read.arrow"
        self.run(["read", table, out])
        with pa.OSFile(str(out)) as source:
            return pa.ipc.open_file(source).read_all()

    def _part(self, part: object) -> object:
        if not isinstance(part, pa.Table):
            return part
        path = self.folder / f"{id(part)}.arrow"
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, part.schema) as writer:
            writer.write_table(part)
        return path


def plain(rows: pa.Table) -> list[dict[str, Any]]:
    """Rows without meta columns, in the order of their keys."""
    own = [name for name in rows.column_names if not name.startswith("_hoodie_")]
    return sorted(rows.select(own).to_pylist(), key=lambda row: row["id"])
