"""Apache Hudi 1.2.1 by its Java client: the jars that Maven gives, beside those of the environment of Spark."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
JAVA = Path(__file__).parent / "java"
JARS = _ROOT / ".interop/jars-1.2.1"
"""Where the jars are kept."""
RECORDS = "org.apache.hudi.metadata.HoodieMetadataPayload"
_SPARK = ("lib/python3*/site-packages/pyspark/jars",)
_BUNDLE = "repository/org/apache/hudi/hudi-spark3.5-bundle_2.12/1.2.0/hudi-spark3.5-bundle_2.12-1.2.0.jar"


@dataclass(frozen=True)
class JavaHudi:
    """Runs the programs beside this module by Apache Hudi 1.2.1."""

    jars: Path
    python: Path

    @staticmethod
    def of_this_machine(python: str) -> JavaHudi:
        """The one that this machine can run; skips the calling test, with the reason, where it cannot."""
        jars = Path(os.environ.get("HUDI_1_2_1_JARS", JARS))
        if not list(jars.glob("hudi-java-client-1.2.1.jar")):
            if shutil.which("mvn") is None:
                pytest.skip(f"no jars of Apache Hudi 1.2.1 in {jars}, and no mvn to bring them")
            command = ["mvn", "-q", "-B", "-f", str(JAVA / "pom.xml"), "dependency:copy-dependencies"]
            brought = subprocess.run(
                [*command, f"-DoutputDirectory={jars}"], capture_output=True, text=True, check=False
            )
            if brought.returncode:
                pytest.skip(f"mvn cannot bring the jars of Apache Hudi 1.2.1: {brought.stdout[-300:]}")
        return JavaHudi(jars, Path(python))

    def tables(self, folder: Path, *commands: Sequence[str], loads: bool = True) -> None:
        """Runs commands of `Tables.java` in a process of their own, which `loads` the class of metadata records first: without it
        the client fails after a compaction of the metadata table."""
        file, first = folder / "commands", [("load", RECORDS)] if loads else []
        file.write_text("".join("\t".join(command) + "\n" for command in [*first, *commands]), "utf-8")
        spark = next(path for pattern in _SPARK for path in self.python.parent.parent.glob(pattern))
        own = sorted(map(str, self.jars.glob("hudi-*-1.2.1.jar")))
        self._run([*own, f"{spark}/*", f"{self.jars}/*", str(bundle())], "Tables.java", str(file))

    def hfiles(self, folder: Path, files: Path, *, release: str = "1.2.1") -> None:
        """Runs `HFiles.java` by the writer of a release."""
        first = sorted(map(str, self.jars.glob("hudi-io-1.2.1.jar"))) if release == "1.2.1" else [str(bundle())]
        self._run([*first, f"{self.jars}/*"], "HFiles.java", str(folder), str(files))

    def _run(self, jars: Sequence[str], program: str, *arguments: str) -> None:
        command = ["java", "-Xmx1g", "-cp", os.pathsep.join(jars), str(JAVA / program), *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert ran.returncode == 0, ran.stderr[-3000:]


def bundle() -> Path:
    """The jar of Apache Hudi 1.2.0 for Spark, which has what the Java client takes from others."""
    return Path(os.environ.get("HUDI_ORACLE_M2", Path.home() / ".m2" / "repository")).parent / _BUNDLE


def options(values: Mapping[str, str]) -> list[str]:
    """Options as `Tables.java` takes them."""
    return [f"{key}={value}" for key, value in values.items()]
