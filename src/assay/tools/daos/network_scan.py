"""dmg network scan: whether the servers still see an interface for the provider of the system."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError

from assay.tools.daos.daos_answer import read_answer
from assay.tools.daos.dmg import begin
from assay.tools.text import first_error


def query(config: str | None = None) -> list[str]:
    """Command line that scans all servers; `config` is the path of daos_control.yml."""
    return [*begin(config), "network", "scan"]


class _Fabric(BaseModel):
    providers: list[str] | None = Field(None, alias="Providers")


class _Host(BaseModel):
    hosts: str = Field(alias="HostSet")
    fabric: _Fabric = Field(alias="HostFabric")


class _Response(BaseModel):
    hosts: dict[str, _Host] | None = Field(None, alias="HostFabrics")


def problems(text: str, provider: str) -> list[str]:
    """The servers without an interface for a provider, each in a sentence.

    Interfaces are not compared: the scan leaves out some that engines use, such as `lo`. Nor are
    the spellings of a provider: `daos_server` itself adds `;ofi_rxm` where it is left out.

    Args:
        text: standard output of `query`.
        provider: the provider of the system, such as ``ofi+tcp``.
    """
    answer = read_answer(text)
    if answer.error:
        return [f"the servers' interfaces are unknown: {answer.error}"]
    try:
        hosts = _Response.model_validate(answer.response).hosts or {}
    except ValidationError as error:
        return [f"the servers' interfaces are unknown: {first_error(error)}"]
    required = _transports(provider)
    return [
        f"no interface of {each.hosts} has the provider {provider}, only {others}"
        for each in hosts.values()
        if not required
        <= {name for other in each.fabric.providers or () for name in _transports(other)}
        for others in [", ".join(each.fabric.providers or ()) or "none at all"]
    ]


def _transports(provider: str) -> set[str]:
    """What a provider crosses the network with: ``ofi+verbs`` of ``ofi+verbs;ofi_rxm``.

    UCX has many names for the same. DAOS 2.4 may have several providers, with commas.
    """
    if provider.startswith("ucx+"):
        return {"ucx"}
    return {each.strip().partition(";")[0] for each in provider.split(",")}
