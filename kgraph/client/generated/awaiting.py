from typing import Any, Optional, Union

from .base_client import AwaitingClient
from .base_model import UNSET, UnsetType
from .catalog import Catalog
from .input_types import (
    RecordEventOrder,
    RecordEventWhere,
    RecordOrder,
    RecordWhere,
    ResolveInput,
    RunOrder,
    RunWhere,
)
from .operation import Operation
from .ranking import Ranking
from .record_history import RecordHistory
from .records import Records
from .resolve import Resolve
from .run import Run
from .runs import Runs
from .sweeps import Sweeps


def gql(q: str) -> str:
    return q


class Awaiting(AwaitingClient):
    async def catalog(self, **kwargs: Any) -> Catalog:
        query = gql("""
            query Catalog {
              catalog {
                ...CatalogState
              }
            }

            fragment CatalogState on Catalog {
              snapshot
              publishedAt
              counts {
                families
                operations
                workloads
                implementations
                runs
                eligibleRuns
                cohorts
                recordEvents
                hardware
                servingRuns
                sources
              }
              policies {
                ranking
                headroom
                deployability
              }
              sources {
                slug
                name
                license
                runCount
                lastObservedAt
              }
            }
            """)
        variables: dict[str, object] = {}
        response = await self.execute(
            query=query, operation_name="Catalog", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return Catalog.model_validate(data)

    async def operation(self, slug: str, workloads: int, **kwargs: Any) -> Operation:
        query = gql("""
            query Operation($slug: String!, $workloads: Int!) {
              operation(slug: $slug) {
                ...OperationPage
              }
            }

            fragment HeadroomPart on Headroom {
              policy
              floorNs
              display
              bound
              memoryFloorNs
              computeFloorNs
              bytes
              flops
              recordRatio
              assumptions
              caveat
              reason
              hardwareSource {
                url
              }
            }

            fragment ImplementationPart on Implementation {
              digest
              title
              language
              revision
              project {
                name
              }
              license {
                declared
                concluded
              }
              install {
                command
              }
              deployability {
                eligible
                reasons
              }
            }

            fragment OperationPage on Operation {
              slug
              title
              description
              digest
              family {
                slug
                name
              }
              runCount
              eligibleRunCount
              lastObservedAt
              semantics {
                determinism
                mutation
                expression
                inputs {
                  name
                  dtype
                  shape
                }
                outputs {
                  name
                  dtype
                  shape
                }
                axes {
                  name
                  role
                  expression
                  value
                }
              }
              fastest {
                reported {
                  ...RankedRow
                }
                deployable {
                  ...RankedRow
                }
                byLanguage {
                  language
                  ratioToFastest
                  entry {
                    ...RankedRow
                  }
                }
              }
              workloads(first: $workloads) {
                totalCount
                nodes {
                  digest
                  label
                  axes {
                    name
                    value
                  }
                  cohorts {
                    key
                    profile
                    hardware {
                      vendor
                      product
                      formFactor
                      architecture
                    }
                    protocol {
                      title
                      primaryStatistic
                    }
                    metric {
                      name
                      statistic
                      unit
                    }
                    runCount
                    eligibleRunCount
                    lastObservedAt
                    record {
                      ...RankedRow
                    }
                    headroom {
                      ...HeadroomPart
                    }
                  }
                }
              }
              sources {
                slug
                name
                license
              }
            }

            fragment RankedRow on RankedRun {
              rank
              tied
              position
              value
              unit
              display
              ratioToLeader
              speedupOverBaseline
              isBaseline
              stale
              evidence {
                level
              }
              run {
                digest
                title
                observedAt
                implementation {
                  ...ImplementationPart
                }
              }
            }
            """)
        variables: dict[str, object] = {"slug": slug, "workloads": workloads}
        response = await self.execute(
            query=query, operation_name="Operation", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return Operation.model_validate(data)

    async def ranking(
        self,
        cohort: str,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> Ranking:
        query = gql("""
            query Ranking($cohort: String!, $first: Int, $after: String) {
              catalog {
                snapshot
              }
              cohort(key: $cohort) {
                ranking(first: $first, after: $after) {
                  totalCount
                  pageInfo {
                    ...PagePart
                  }
                  nodes {
                    ...RankedRow
                  }
                }
              }
            }

            fragment ImplementationPart on Implementation {
              digest
              title
              language
              revision
              project {
                name
              }
              license {
                declared
                concluded
              }
              install {
                command
              }
              deployability {
                eligible
                reasons
              }
            }

            fragment PagePart on PageInfo {
              hasNextPage
              endCursor
            }

            fragment RankedRow on RankedRun {
              rank
              tied
              position
              value
              unit
              display
              ratioToLeader
              speedupOverBaseline
              isBaseline
              stale
              evidence {
                level
              }
              run {
                digest
                title
                observedAt
                implementation {
                  ...ImplementationPart
                }
              }
            }
            """)
        variables: dict[str, object] = {
            "cohort": cohort,
            "first": first,
            "after": after,
        }
        response = await self.execute(
            query=query, operation_name="Ranking", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return Ranking.model_validate(data)

    async def records(
        self,
        where: Union[Optional[RecordWhere], UnsetType] = UNSET,
        order_by: Union[Optional[list[RecordOrder]], UnsetType] = UNSET,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> Records:
        query = gql("""
            query Records($where: RecordWhere, $orderBy: [RecordOrder!], $first: Int, $after: String) {
              catalog {
                snapshot
              }
              records(where: $where, orderBy: $orderBy, first: $first, after: $after) {
                totalCount
                pageInfo {
                  ...PagePart
                }
                nodes {
                  ...RecordRow
                }
              }
            }

            fragment PagePart on PageInfo {
              hasNextPage
              endCursor
            }

            fragment RecordRow on Record {
              value
              unit
              display
              since
              cohort {
                key
                operation {
                  slug
                }
                family {
                  slug
                }
                workload {
                  digest
                  label
                }
                hardware {
                  vendor
                  product
                  architecture
                }
                metric {
                  name
                  statistic
                }
                eligibleRunCount
              }
              run {
                digest
                evidence {
                  level
                }
                implementation {
                  title
                  language
                  license {
                    concluded
                  }
                }
              }
            }
            """)
        variables: dict[str, object] = {
            "where": where,
            "orderBy": order_by,
            "first": first,
            "after": after,
        }
        response = await self.execute(
            query=query, operation_name="Records", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return Records.model_validate(data)

    async def record_history(
        self,
        where: Union[Optional[RecordEventWhere], UnsetType] = UNSET,
        order_by: Union[Optional[list[RecordEventOrder]], UnsetType] = UNSET,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> RecordHistory:
        query = gql("""
            query RecordHistory($where: RecordEventWhere, $orderBy: [RecordEventOrder!], $first: Int, $after: String) {
              catalog {
                snapshot
              }
              recordHistory(where: $where, orderBy: $orderBy, first: $first, after: $after) {
                totalCount
                pageInfo {
                  ...PagePart
                }
                nodes {
                  ...RecordEventRow
                }
              }
            }

            fragment PagePart on PageInfo {
              hasNextPage
              endCursor
            }

            fragment RecordEventRow on RecordEvent {
              ordinal
              at
              cause
              policy
              value
              previousValue
              improvementPercent
              cohort {
                key
                operation {
                  slug
                }
                workload {
                  label
                }
                hardware {
                  product
                }
              }
              run {
                digest
                implementation {
                  title
                }
              }
              previousRun {
                digest
                implementation {
                  title
                }
              }
            }
            """)
        variables: dict[str, object] = {
            "where": where,
            "orderBy": order_by,
            "first": first,
            "after": after,
        }
        response = await self.execute(
            query=query, operation_name="RecordHistory", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return RecordHistory.model_validate(data)

    async def resolve(self, input: ResolveInput, **kwargs: Any) -> Resolve:
        query = gql("""
            query Resolve($input: ResolveInput!) {
              resolve(input: $input) {
                ...ResolutionAnswer
              }
            }

            fragment ImplementationPart on Implementation {
              digest
              title
              language
              revision
              project {
                name
              }
              license {
                declared
                concluded
              }
              install {
                command
              }
              deployability {
                eligible
                reasons
              }
            }

            fragment RankedRow on RankedRun {
              rank
              tied
              position
              value
              unit
              display
              ratioToLeader
              speedupOverBaseline
              isBaseline
              stale
              evidence {
                level
              }
              run {
                digest
                title
                observedAt
                implementation {
                  ...ImplementationPart
                }
              }
            }

            fragment ResolutionAnswer on Resolution {
              match
              policy
              operation {
                slug
                title
              }
              cohort {
                key
                workload {
                  label
                }
                hardware {
                  product
                }
              }
              otherCohorts {
                key
              }
              best {
                ...RankedRow
              }
              bestDeployable {
                ...RankedRow
              }
              alternatives {
                ...RankedRow
              }
              nearMatches {
                compatible
                run {
                  digest
                  title
                }
                differences {
                  field
                  requested
                  observed
                }
              }
              bracket {
                axis
                requested
                below {
                  value
                  display
                  entry {
                    ...RankedRow
                  }
                }
                above {
                  value
                  display
                  entry {
                    ...RankedRow
                  }
                }
              }
              unresolved {
                field
                message
              }
            }
            """)
        variables: dict[str, object] = {"input": input}
        response = await self.execute(
            query=query, operation_name="Resolve", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return Resolve.model_validate(data)

    async def run(self, ref: str, **kwargs: Any) -> Run:
        query = gql("""
            query Run($ref: String!) {
              run(ref: $ref) {
                ...RunPage
              }
            }

            fragment ImplementationPart on Implementation {
              digest
              title
              language
              revision
              project {
                name
              }
              license {
                declared
                concluded
              }
              install {
                command
              }
              deployability {
                eligible
                reasons
              }
            }

            fragment RunPage on Run {
              digest
              objectId
              shortId
              title
              status
              observedAt
              publishedAt
              stale
              isBaseline
              labels {
                name
                value
              }
              primary {
                metric
                statistic
                unit
                value
                display
              }
              measurements {
                metric
                statistic
                unit
                value
                display
                sampleCount
              }
              eligibility {
                eligible
                reasons
              }
              evidence {
                level
                reasons
              }
              correctness {
                comparator
                asserted
              }
              standing {
                rank
                tied
                cohortSize
                ratioToLeader
                speedupOverBaseline
                leader {
                  digest
                }
              }
              corrections {
                action
                reason
                by
                at
                replacement
              }
              cohort {
                key
                profile
                policy
              }
              implementation {
                ...ImplementationPart
              }
              workload {
                digest
                label
                axes {
                  name
                  value
                }
                tensors {
                  name
                  dtype
                  shape
                }
                scalars {
                  name
                  dtype
                  value
                }
                comparator
              }
              operation {
                slug
                title
              }
              protocol {
                digest
                title
                primaryStatistic
                harness {
                  name
                  repository
                  version
                }
                timer
                comparabilityFamily
                notes
              }
              environment {
                digest
                hardware {
                  vendor
                  product
                  formFactor
                  architecture
                }
                software {
                  name
                  version
                }
              }
              source {
                slug
                name
                license
              }
              sourceNative {
                benchmark
                externalId
                metrics {
                  name
                  value
                }
              }
              artifacts {
                kind
                digest
                uri
              }
              attestations(first: 20) {
                totalCount
                nodes {
                  kind
                  statement
                  by
                  at
                }
              }
              manifest
              citation {
                text
                bibtex
                cslJson
                permalink
              }
            }
            """)
        variables: dict[str, object] = {"ref": ref}
        response = await self.execute(
            query=query, operation_name="Run", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return Run.model_validate(data)

    async def runs(
        self,
        where: Union[Optional[RunWhere], UnsetType] = UNSET,
        order_by: Union[Optional[list[RunOrder]], UnsetType] = UNSET,
        first: Union[Optional[int], UnsetType] = UNSET,
        after: Union[Optional[str], UnsetType] = UNSET,
        **kwargs: Any,
    ) -> Runs:
        query = gql("""
            query Runs($where: RunWhere, $orderBy: [RunOrder!], $first: Int, $after: String) {
              catalog {
                snapshot
              }
              runs(where: $where, orderBy: $orderBy, first: $first, after: $after) {
                totalCount
                pageInfo {
                  ...PagePart
                }
                nodes {
                  ...RunRow
                }
              }
            }

            fragment PagePart on PageInfo {
              hasNextPage
              endCursor
            }

            fragment RunRow on Run {
              digest
              title
              status
              observedAt
              publishedAt
              stale
              isBaseline
              primary {
                metric
                statistic
                unit
                value
                display
              }
              eligibility {
                eligible
              }
              evidence {
                level
              }
              standing {
                rank
                tied
                cohortSize
                ratioToLeader
                speedupOverBaseline
              }
              cohort {
                key
                profile
              }
              operation {
                slug
              }
              family {
                slug
              }
              workload {
                digest
                label
              }
              implementation {
                digest
                title
                language
              }
              environment {
                hardware {
                  vendor
                  product
                  architecture
                }
              }
              source {
                slug
              }
            }
            """)
        variables: dict[str, object] = {
            "where": where,
            "orderBy": order_by,
            "first": first,
            "after": after,
        }
        response = await self.execute(
            query=query, operation_name="Runs", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return Runs.model_validate(data)

    async def sweeps(self, slug: str, **kwargs: Any) -> Sweeps:
        query = gql("""
            query Sweeps($slug: String!) {
              operation(slug: $slug) {
                sweeps {
                  ...SweepPart
                }
              }
            }

            fragment SweepPart on Sweep {
              axis
              heldAxes {
                name
                value
              }
              dtypes
              unit
              metric {
                name
                statistic
              }
              hardware {
                product
              }
              protocol {
                digest
                title
              }
              series {
                implementation {
                  digest
                  title
                  language
                }
                points {
                  axisValue
                  value
                  display
                  run {
                    digest
                  }
                  workload {
                    digest
                  }
                }
              }
            }
            """)
        variables: dict[str, object] = {"slug": slug}
        response = await self.execute(
            query=query, operation_name="Sweeps", variables=variables, **kwargs
        )
        data = self.get_data(response)
        return Sweeps.model_validate(data)
