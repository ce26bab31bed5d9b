"""DAOS in its own words: the system, its servers, their engines and storage tiers.

The keys are those of `daos_server.yml`, so a site that knows that file knows this model. This
module only defines what each key means; `assay.preflight.rules` checks which keys fit together.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from assay.cluster.releases import Version


class Described(BaseModel):
    """A part of the description of a cluster; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_yes_for_a_number(cls, value: object, field: ValidationInfo) -> object:
        """Refuse what pydantic takes for 1 or 0: `cores: yes` would be one core."""
        if isinstance(value, bool):
            kind = cls.model_fields[str(field.field_name)].annotation
            kinds = {kind, *get_args(kind)}
            if kinds & {int, float} and bool not in kinds:
                raise ValueError("should be a number")
        return value


Role = Literal["wal", "meta", "data"]


def until_na(roles: object) -> object:
    """The roles that DAOS reads since 2.6: those before `na` (fromStrings in storage/config.go)."""
    if not isinstance(roles, list | tuple):
        return roles
    words = [str(role).lower() for role in roles]
    return roles[: words.index("na")] if "na" in words else roles


class Tier(Described):
    """One storage tier of an engine."""

    class_: Literal["ram", "dcpm", "nvme", "file", "kdev"] = Field(alias="class")
    scm_mount: Path | None = None
    scm_size: int | None = Field(default=None, ge=1, description="GiB")
    scm_list: tuple[str, ...] = ()
    scm_hugepages_disabled: bool | None = Field(
        default=None,
        description="of a tmpfs; none: not set, which DAOS 2.8 or later does not treat as false",
    )
    bdev_list: tuple[str, ...] = ()
    bdev_roles: Annotated[tuple[Role, ...], BeforeValidator(until_na)] = ()
    bdev_size: int | None = Field(default=None, ge=1, description="GB, of an emulated device")
    bdev_number: int | None = Field(default=None, ge=0, description="DAOS reads and ignores it")
    bdev_busid_range: str | None = None

    @property
    def is_scm(self) -> bool:
        """Whether it is byte-addressable: persistent memory, or DRAM instead of it."""
        return self.class_ in ("ram", "dcpm")

    @property
    def devices(self) -> tuple[str, ...]:
        """Its devices: PCI addresses as the kernel writes them, or paths."""
        if self.class_ == "nvme":
            return tuple(address.lower() for address in self.bdev_list)
        return self.scm_list if self.is_scm else self.bdev_list


class TagMap(Described):
    """The CaRT tags of an engine's execution streams: each tag addresses one stream.

    An endpoint of `self_test` is ``rank:tag``.
    """

    metadata: int
    swim: int
    targets: tuple[int, ...]
    helpers: tuple[int, ...]


SYSTEM_TAGS = {"metadata": 0, "swim": 1}
"""The tags of the execution streams that every engine has, regardless of its targets."""


def tag_map(targets: int, nr_xs_helpers: int) -> TagMap:
    """The tags of an engine: 0 metadata, 1 SWIM, then its targets, then its helpers.

    Source: shared facts of DAOS 2.8; 16 targets and 4 helpers answer on the 22 tags 0 to 21.
    """
    first_target = len(SYSTEM_TAGS)
    first_helper = first_target + targets
    return TagMap(
        **SYSTEM_TAGS,
        targets=tuple(range(first_target, first_helper)),
        helpers=tuple(range(first_helper, first_helper + nr_xs_helpers)),
    )


UNJUDGED = frozenset(
    {
        "crt_ctx_share_addr",
        "acceleration",
        "bdev_auto_faulty",
        "bypass_health_chk",
        "env_pass_through",
        "modules",
        "secondary_provider_endpoints",
        "spdk_iobuf",
        "spdk_rpc_server",
    }
)
"""Keys of an engine that no bound depends on. The preflight checks them like all other keys, in
`assay.preflight.keys`."""


class Engine(Described):
    """One engine of a server."""

    targets: int = Field(ge=1)
    nr_xs_helpers: int = Field(default=0, ge=0)
    pinned_numa_node: int | None = Field(default=None, ge=0)
    first_core: int | None = Field(default=None, ge=0)
    fabric_iface: str
    fabric_iface_port: int = Field(default=31316, ge=1, le=65535)
    storage: tuple[Tier, ...] = Field(min_length=1)
    provider: str | None = Field(default=None, description="null: the provider of the system")
    env_vars: tuple[str, ...] = ()
    log_mask: str | None = None
    log_file: Path | None = None
    crt_timeout: int | None = Field(default=None, ge=0, description="s; none: the server's")
    disable_srx: bool | None = Field(default=None, description="none: the server's")
    fabric_auth_key: Any = Field(default=None, description="none: the server's")

    @model_validator(mode="before")
    @classmethod
    def _leave_out_what_is_not_judged(cls, described: Any) -> Any:
        if not isinstance(described, dict):
            return described
        return {key: value for key, value in described.items() if key not in UNJUDGED}

    @field_validator("storage", mode="before")
    @classmethod
    def _leave_out_empty_tiers(cls, tiers: Any) -> Any:
        """As DAOS does; a dash too many in the list makes one."""
        is_list = isinstance(tiers, list | tuple)
        return [tier for tier in tiers if tier is not None] if is_list else tiers

    @model_validator(mode="before")
    @classmethod
    def _tags_follow_from_targets(cls, described: Any) -> Any:
        """Check and drop `tags`, which are written for other readers and cannot be chosen."""
        match described:
            case {"tags": tags, "targets": int(targets), "nr_xs_helpers": int(helpers)}:
                if TagMap.model_validate(tags) != tag_map(targets, helpers):
                    raise ValueError("should have the tags that follow from its counts")
                return {key: value for key, value in described.items() if key != "tags"}
        return described

    @property
    def xstreams(self) -> int:
        """Number of its execution streams; each has a tag and needs its own core and port."""
        return len(SYSTEM_TAGS) + self.targets + self.nr_xs_helpers

    @property
    def oversubscribes(self) -> bool:
        """Whether it starts even if it has fewer cores than execution streams."""
        return self.env("DAOS_TARGET_OVERSUBSCRIBE") not in (None, "", "0")

    def env(self, key: str) -> str | None:
        """The value of a variable in `env_vars`; the last entry counts, as in DAOS."""
        entries = [entry.partition("=") for entry in self.env_vars]
        return next((value for name, _, value in reversed(entries) if name == key), None)

    @property
    def tags(self) -> TagMap:
        """The tags of its execution streams."""
        return tag_map(self.targets, self.nr_xs_helpers)

    @property
    def scm_tier(self) -> Tier | None:
        """The byte-addressable tier, if the engine has one."""
        return next((tier for tier in self.storage if tier.is_scm), None)

    @property
    def ram_tier(self) -> Tier | None:
        """The tier that the engine keeps in a tmpfs, if it has one."""
        return next((tier for tier in self.storage if tier.class_ == "ram"), None)

    @property
    def bdev_tiers(self) -> tuple[Tier, ...]:
        """Its block devices, real or emulated."""
        return tuple(tier for tier in self.storage if not tier.is_scm)

    @property
    def has_md_on_ssd(self) -> bool:
        """Whether its metadata is kept on SSDs, with DRAM as their cache."""
        return any(tier.bdev_roles for tier in self.bdev_tiers)


def _none_if_off(port: object) -> object:
    return None if type(port) is int and port == 0 else port


TelemetryPort = Annotated[Annotated[int, Field(ge=1)] | None, BeforeValidator(_none_if_off)]
"""Where metrics are served; to DAOS, 0 is as good as none."""


class ControlMetadata(Described):
    """Where an engine with MD-on-SSD keeps data that must outlive its tmpfs."""

    path: Path
    device: str | None = None
    allow_spdk_conf_override: bool = False


class Server(Described):
    """The keys of `daos_server.yml` for a whole host."""

    nr_hugepages: int = Field(default=0, ge=0, description="0: DAOS works it out")
    disable_hugepages: bool = False
    system_ram_reserved: int | None = Field(
        default=None, ge=1, description="GiB left to the system; null: the default of DAOS"
    )
    disable_vfio: bool = False
    disable_vmd: bool = False
    allow_thp: bool = False
    control_metadata: ControlMetadata | None = None
    telemetry_port: TelemetryPort = None
    log_mask: str = "INFO"
    control_log_file: Path | None = Field(default=None, description="null: that of the roles")
    helper_log_file: Path | None = Field(default=None, description="null: that of the roles")
    eadr: bool = Field(default=False, description="the CPU's caches survive a loss of power")
    settings: Mapping[str, Any] = Field(
        default={}, description="further keys of daos_server.yml, in its own words"
    )
    reformat: bool = Field(
        default=False, description="the operator has agreed to lose the data of DAOS here"
    )


class Agent(Described):
    """The keys of `daos_agent.yml` that decide which interfaces a host's clients get."""

    include_fabric_ifaces: tuple[str, ...] = ()
    exclude_fabric_ifaces: tuple[str, ...] = ()
    disable_caching: bool = False
    cache_expiration: int = Field(default=0, ge=0, description="minutes; 0: never")
    telemetry_port: TelemetryPort = None
    log_mask: str = "INFO"
    settings: Mapping[str, Any] = Field(
        default={}, description="further keys of daos_agent.yml, in its own words"
    )


SERVER_AND_PORT = r"^[A-Za-z0-9_.-]+:[0-9]{1,5}$"


class Found(Described):
    """What a normal user sees of a system that the site runs; its servers are not described."""

    ranks: int = Field(ge=1, description="of the system, as its agent reports them")
    release: str | None = Field(default=None, description="as its programs print it: 2.8.1")
    targets: int | None = Field(default=None, ge=1, description="of the pool, on all ranks")
    free_mib: int | None = Field(
        default=None, ge=0, description="of the pool's largest tier, when it was described"
    )
    control: Path | None = Field(
        default=None, description="dmg's configuration; null: dmg does not answer this user"
    )
    own_container: bool = Field(
        default=False, description="each session of checks makes the container and destroys it"
    )
    telemetry: tuple[Annotated[str, Field(pattern=SERVER_AND_PORT)], ...] = Field(
        default=(), description="each server's metrics: 192.0.2.1:9191"
    )
    servers_of_ranks: Mapping[int, str] = Field(
        default={}, description="the address of each rank's server, as its agent reports them"
    )
    share: float = Field(
        default=0.05,
        gt=0,
        le=1,
        description="of the pool's free space that the files of a check may take at a time",
    )
    pool_properties: Mapping[str, str] = Field(default={}, description="for the record")
    container_properties: Mapping[str, str] = Field(default={}, description="for the record")


class Deployed(Described):
    """The release of DAOS, and the hosts of its engines."""

    found: Found | None = Field(default=None, description="null: the roles deployed the system")
    version: Version
    servers: tuple[str, ...]

    @field_validator("servers")
    @classmethod
    def _only_those_of_others_are_unknown(
        cls, servers: tuple[str, ...], info: ValidationInfo
    ) -> tuple[str, ...]:
        if "found" not in info.data:
            return servers  # it has a problem of its own
        found = info.data["found"]
        if servers and found:
            raise ValueError("should be empty: the servers of a system that is found are unknown")
        if not servers and not found:
            raise ValueError("should have at least one entry")
        return servers


class System(Deployed):
    """The DAOS system: the settings that all of its hosts share."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,14}$")
    port: int = Field(default=10001, ge=1, le=65535)
    mgmt_svc_replicas: tuple[str, ...]
    allow_insecure: bool = False
    agents: tuple[str, ...] = ()
    admin: str
    prefix: Path = Field(default=Path("/usr"), description="installation prefix of the programs")
    pool: str | None = Field(default=None, description="the pool that the checks write to")
    container: str | None = Field(default=None, description="the POSIX container in it")
    pools: tuple[Mapping[str, Any], ...] = Field(
        default=(), description="required pools, with their containers"
    )
    perf_pool: str | None = Field(
        default=None,
        description="a pool for daos_perf alone; the containers that it creates are removed",
    )
    rank_pool_size: str | None = Field(
        default=None,
        description="size of the pool that a check makes on each rank, and destroys; null: none",
    )
    failure: bool = Field(
        default=False, description="the operator has agreed that checks take parts of it away"
    )
    file_oclass: str | None = Field(
        default=None, description="object class of the files in it; null: DAOS chooses"
    )
    dir_oclass: str | None = Field(
        default=None,
        description="object class of its directories; null: as pools has it, or DAOS chooses",
    )
    mount: Path | None = Field(default=None, description="where dfuse mounts it on each client")
