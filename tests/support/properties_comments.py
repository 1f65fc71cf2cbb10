"""Comments at the top of `hoodie.properties`, as releases leave them."""

from __future__ import annotations

DATE = "#Thu Nov 26 14:20:00 UTC 2026\n"
HUDI_1_2_0 = f"#Updated at 2026-11-26T14:20:00Z\n{DATE}"
HUDI_0_14 = f"#Properties saved on 2026-11-26T14:20:00Z\n{DATE}"
HUDI_1_2_1 = f"#Updated at 2026-11-26T14:20:00Z, host=h, hudi_version=1.2.1\n{DATE}"
HUDI_1_10 = HUDI_1_2_1.replace("1.2.1", "1.10.0-rc1")
HUDI_1_1 = HUDI_1_2_1.replace("1.2.1", "1.1.0")
OURS = "#Updated at 2026-11-26T14:20:00+00:00, hudi_core_version=0.2.0\n"
