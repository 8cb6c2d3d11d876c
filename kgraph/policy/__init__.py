"""Pure functions from facts to verdicts: who may rank, where, on whose word, how near the floor."""

from kgraph.policy.compare import (
    MAX_COMPARED,
    MIN_COMPARED,
    ComparedField,
    ComparedGroup,
    ComparedRun,
    Comparison,
    compare_runs,
)
from kgraph.policy.derivation import RankingV1, ranking_v1
from kgraph.policy.device import find_architecture, matches_device, suggest_devices
from kgraph.policy.difference import (
    DIFFERENCE_VERSION,
    MINIMUM_EFFECT,
    DifferenceMethod,
    DifferenceVerdict,
    RunDifference,
    Sampled,
    compare_sampled,
)
from kgraph.policy.eligibility import judge_eligibility
from kgraph.policy.evidence import judge_evidence
from kgraph.policy.hardware import HardwareRow, find_hardware, hardware_rows
from kgraph.policy.headroom import Headroom, estimate_headroom, why_below_floor
from kgraph.policy.match import (
    Bracket,
    BracketEnd,
    Difference,
    MatchCandidate,
    MatchRequest,
    MatchVerdict,
    NearMatch,
    TensorRequest,
    Unresolved,
    find_dtypes,
    judge_match,
)
from kgraph.policy.metric import DIRECTION_UNKNOWN, Direction, find_direction, is_time
from kgraph.policy.profile import judge_profile
from kgraph.policy.ranking import RANKING_VERSION, rank_cohort
from kgraph.policy.ranking_v2 import RANKING_V2_VERSION, rank_sampled
from kgraph.policy.records import derive_records
from kgraph.policy.trust import (
    PERMISSIVE_LICENSES,
    STALE_AFTER,
    Deployability,
    LicenseConclusion,
    conclude_license,
    has_public_source,
    is_permissive,
    is_stale,
    judge_deployability,
)
from kgraph.vocab import BelowFloor

__all__ = [
    "DIFFERENCE_VERSION",
    "DIRECTION_UNKNOWN",
    "MAX_COMPARED",
    "MINIMUM_EFFECT",
    "MIN_COMPARED",
    "PERMISSIVE_LICENSES",
    "RANKING_V2_VERSION",
    "RANKING_VERSION",
    "STALE_AFTER",
    "BelowFloor",
    "Bracket",
    "BracketEnd",
    "ComparedField",
    "ComparedGroup",
    "ComparedRun",
    "Comparison",
    "Deployability",
    "Difference",
    "DifferenceMethod",
    "DifferenceVerdict",
    "Direction",
    "HardwareRow",
    "Headroom",
    "LicenseConclusion",
    "MatchCandidate",
    "MatchRequest",
    "MatchVerdict",
    "NearMatch",
    "RankingV1",
    "RunDifference",
    "Sampled",
    "TensorRequest",
    "Unresolved",
    "compare_runs",
    "compare_sampled",
    "conclude_license",
    "derive_records",
    "estimate_headroom",
    "find_architecture",
    "find_direction",
    "find_dtypes",
    "find_hardware",
    "hardware_rows",
    "has_public_source",
    "is_permissive",
    "is_stale",
    "is_time",
    "judge_deployability",
    "judge_eligibility",
    "judge_evidence",
    "judge_match",
    "judge_profile",
    "matches_device",
    "rank_cohort",
    "rank_sampled",
    "ranking_v1",
    "suggest_devices",
    "why_below_floor",
]
