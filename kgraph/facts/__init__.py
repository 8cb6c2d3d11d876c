"""Frozen rows that index hands to policy, and policy's verdicts that index keeps.

Plain fields only: no pydantic, no database, no file. A fact says what is stored or counted; a
verdict says what a named policy version made of it. Sequences are tuples; absence is None, its
meaning beside it. Times are timezone-aware UTC datetimes. `value` fields are floats in the unit
beside them: integer nanoseconds to 2^53 are exact in a float.
"""

from kgraph.facts.derivation import (
    Derivation,
)
from kgraph.facts.environment import (
    EnvironmentFact,
    HardwareFact,
    MeasuredHardwareFact,
    ProtocolFact,
)
from kgraph.facts.headroom import (
    HeadroomCountsFact,
    HeadroomVerdict,
    MeasuredRecord,
    OpportunityFact,
)
from kgraph.facts.implementation import (
    ImplementationFact,
    ImplementationVerdict,
    ProjectFact,
)
from kgraph.facts.operation import (
    AxisFact,
    FamilyFact,
    OperationFact,
    ScalarFact,
    TensorFact,
    WorkloadFact,
)
from kgraph.facts.question import (
    AggregateFact,
    AllOf,
    AnyOf,
    Condition,
    FacetCount,
    Filter,
    Negation,
    Order,
    Page,
    PageRequest,
)
from kgraph.facts.run import (
    CohortFact,
    JudgedRun,
    MeasurementFact,
    RecordEventFact,
    RunFact,
    RunVerdict,
    StandingFact,
    SweepPointFact,
)
from kgraph.facts.serving import (
    ServingRunFact,
)
from kgraph.facts.stored import (
    AttestationFact,
    CorrectionFact,
    CountsFact,
    ObjectFact,
    PublicationFact,
    SourceFact,
)
from kgraph.facts.survey import (
    ChallengeFact,
    CohortPlaceFact,
    FamilyShareFact,
    HardwareShareFact,
    HardwareVariantFact,
    MeasuredCohortFact,
    ProjectStandingFact,
    RecipeFact,
    RecordHolderFact,
    SearchHit,
    VersionFact,
)

__all__ = [
    "AggregateFact",
    "AllOf",
    "AnyOf",
    "AttestationFact",
    "AxisFact",
    "ChallengeFact",
    "CohortFact",
    "CohortPlaceFact",
    "Condition",
    "CorrectionFact",
    "CountsFact",
    "Derivation",
    "EnvironmentFact",
    "FacetCount",
    "FamilyFact",
    "FamilyShareFact",
    "Filter",
    "HardwareFact",
    "HardwareShareFact",
    "HardwareVariantFact",
    "HeadroomCountsFact",
    "HeadroomVerdict",
    "ImplementationFact",
    "ImplementationVerdict",
    "JudgedRun",
    "MeasuredCohortFact",
    "MeasuredHardwareFact",
    "MeasuredRecord",
    "MeasurementFact",
    "Negation",
    "ObjectFact",
    "OperationFact",
    "OpportunityFact",
    "Order",
    "Page",
    "PageRequest",
    "ProjectFact",
    "ProjectStandingFact",
    "ProtocolFact",
    "PublicationFact",
    "RecipeFact",
    "RecordEventFact",
    "RecordHolderFact",
    "RunFact",
    "RunVerdict",
    "ScalarFact",
    "SearchHit",
    "ServingRunFact",
    "SourceFact",
    "StandingFact",
    "SweepPointFact",
    "TensorFact",
    "VersionFact",
    "WorkloadFact",
]
