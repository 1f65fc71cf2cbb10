"""Options of a clean beside the properties of a table."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hudi_core.errors import UsageError
from hudi_core.options import table_config
from hudi_core.services.cleaning.options import CleanOptions, CleanPolicy, CleanSettings, clean_settings

NAMED = {"hoodie.table.name": "t", "hoodie.table.version": "9"}


def settings(stated: Mapping[str, str] | None = None, options: CleanOptions | None = None) -> CleanSettings:
    return clean_settings(table_config({**NAMED, **(stated or {})}), options or CleanOptions())


def policy(**stated: str) -> tuple[CleanPolicy, int]:
    """The policy of properties whose names begin with `hoodie.`, with dots for underscores."""
    made = settings({f"hoodie.{name.replace('_', '.')}": text for name, text in stated.items()})
    return made.policy, made.retained


def test_the_policy_is_stated_or_the_one_whose_number_is() -> None:
    """CLEAN-381."""
    assert policy() == (CleanPolicy.COMMITS, 10)
    assert policy(clean_commits_retained="4") == (CleanPolicy.COMMITS, 4)
    assert policy(cleaner_fileversions_retained="2") == (CleanPolicy.VERSIONS, 2)
    assert policy(clean_hours_retained="5") == (CleanPolicy.HOURS, 5)
    assert policy(clean_hours_retained="5", clean_commits_retained="4") == (CleanPolicy.COMMITS, 4)
    assert policy(cleaner_policy="keep_latest_file_versions") == (CleanPolicy.VERSIONS, 3)
    assert policy(clean_policy="KEEP_LATEST_BY_HOURS", clean_commits_retained="4") == (CleanPolicy.HOURS, 24)


def test_given_options_come_before_given_properties_and_those_before_the_tables() -> None:
    """CLEAN-380."""
    stated = {"hoodie.clean.commits.retained": "4"}
    given = CleanOptions(properties={"hoodie.clean.commits.retained": "7"})
    assert settings(stated, given).retained == 7
    assert settings(stated, CleanOptions(keep_commits=9, properties=given.properties)).retained == 9
    made = settings(stated, CleanOptions(keep_versions=2))
    assert (made.policy, made.retained) == (CleanPolicy.VERSIONS, 2)
    assert settings(stated, CleanOptions(keep_hours=2)).policy is CleanPolicy.HOURS


def test_the_other_properties_have_both_spellings() -> None:
    """CLEAN-380."""
    assert settings() == CleanSettings(CleanPolicy.COMMITS, 10)
    made = settings(
        {
            "hoodie.cleaner.incremental.mode": "false",
            "hoodie.clean.max.commits": "5",
            "hoodie.clean.automatic": "false",
            "hoodie.clean.allow.multiple": "true",
            "hoodie.clean.max.commits.to.clean": "8",
            "hoodie.write.empty.clean.interval.hours": "12",
        }
    )
    assert not made.incremental
    assert not made.automatic
    assert made.several
    assert (made.trigger_commits, made.max_commits, made.empty_after_hours) == (5, 8, 12)
    assert not settings(options=CleanOptions(full=True)).incremental


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hoodie.clean.policy", "KEEP_ALL"),
        ("hoodie.clean.commits.retained", "0"),
        ("hoodie.clean.trigger.strategy", "SIZE"),
        ("hoodie.write.empty.clean.interval.hours", "0"),
        ("hoodie.clean.partition.filter.regex", "p.*"),
        ("hoodie.clean.automatic", "perhaps"),
    ],
)
def test_a_property_that_has_no_such_value_is_refused(name: str, text: str) -> None:
    """CLEAN-380."""
    with pytest.raises(UsageError, match=name.replace(".", r"\.")):
        settings({name: text})


def test_several_numbers_are_refused_and_those_below_one() -> None:
    with pytest.raises(UsageError, match="keep_commits and keep_hours"):
        CleanOptions(keep_commits=1, keep_hours=1)
    with pytest.raises(UsageError, match="keep_versions: expected a whole number from 1 on, found 0"):
        CleanOptions(keep_versions=0)
