"""The rules of the preflight, one subject per module: functions from the description to problems.

A problem is a sentence with host, key, value and remedy. DAOS itself refuses many of these when a
server starts, one at a time and on that host. It accepts the others, and is slow or fails later.
For the rules that are DAOS's own, tests/recorded/bad_configs has DAOS's error messages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from assay.cluster.description import Host, Site
from assay.cluster.releases import Version
from assay.preflight.rules.addresses import address_rules
from assay.preflight.rules.advice import advice_for_system, advice_rules
from assay.preflight.rules.agreement import agreement_of_host, agreement_rules
from assay.preflight.rules.alike_ssds import alike_ssd_rules
from assay.preflight.rules.benchmarks import benchmark_rules
from assay.preflight.rules.clients import client_rules, member_clients
from assay.preflight.rules.clock import clock_rules
from assay.preflight.rules.cores import core_rules
from assay.preflight.rules.datasheets import datasheet_rules
from assay.preflight.rules.devices import device_rules
from assay.preflight.rules.effects import effect_rules
from assay.preflight.rules.engines import engine_rules
from assay.preflight.rules.environment import environment_rules, level_rules
from assay.preflight.rules.erasure_code import erasure_code_rules
from assay.preflight.rules.fabric import agent_rules, fabric_rules
from assay.preflight.rules.fault_domains import fault_domain_rules
from assay.preflight.rules.file_space import file_space_rules
from assay.preflight.rules.found import found_rules
from assay.preflight.rules.groups import group_rules
from assay.preflight.rules.host import host_rules
from assay.preflight.rules.hugepages import hugepage_rules
from assay.preflight.rules.in_use import in_use_rules
from assay.preflight.rules.links import pcie_rules, speed_rules
from assay.preflight.rules.logs import log_rules
from assay.preflight.rules.memory import memory_rules, tmpfs_rules
from assay.preflight.rules.metadata import metadata_rules
from assay.preflight.rules.mtu import mtu_rules
from assay.preflight.rules.names import name_rules
from assay.preflight.rules.numa import numa_rules
from assay.preflight.rules.overlaps import overlap_rules
from assay.preflight.rules.peers import peer_rules
from assay.preflight.rules.places import mount_rules, place_rules
from assay.preflight.rules.pmem import pmem_rules
from assay.preflight.rules.pool_names import pool_name_rules
from assay.preflight.rules.pool_space import pool_space_rules
from assay.preflight.rules.pools import pool_rules
from assay.preflight.rules.ports import port_rules, services_of, telemetry_rules
from assay.preflight.rules.programs import program_rules
from assay.preflight.rules.reach import reach_rules
from assay.preflight.rules.settings import agent_setting_rules, setting_rules
from assay.preflight.rules.shared import shared_rules
from assay.preflight.rules.slurm import slurm_rules
from assay.preflight.rules.survival import survival_rules
from assay.preflight.rules.system import member_rules, system_rules
from assay.preflight.rules.tiers import tier_rules
from assay.preflight.rules.tuning import limit_rules, tuning_rules
from assay.preflight.rules.wear import wear_rules
from assay.preflight.rules.words import words_of_host, words_of_site
from assay.problems import Problem

__all__ = ["group_rules", "rules_of_host", "rules_of_site"]


def rules_of_host(
    name: str, host: Host, version: Version | None, system: str | None, provider: str | None
) -> Iterator[Problem]:
    """The problems of one host, regardless of the other hosts.

    Args:
        name: the host's name.
        host: the host.
        version: the version of DAOS if engines run on it. None on any other host: engines there
            only describe what the checks measure.
        system: the name of that DAOS system.
        provider: the provider of its fabric.
    """
    yield from host_rules(name, host)
    yield from program_rules(name, host)
    yield from words_of_host(name, host)
    yield from tuning_rules(name, host)
    yield from pcie_rules(name, host)
    yield from wear_rules(name, host)
    yield from agent_rules(name, host)
    yield from telemetry_rules(name, host)
    yield from agent_setting_rules(name, host)
    yield from level_rules(name, host)
    yield from engine_rules(name, host)
    if version is None:
        yield from tmpfs_rules(name, host)
        return
    yield from tier_rules(name, host, version)
    yield from metadata_rules(name, host)
    yield from place_rules(name, host)
    yield from survival_rules(name, host)
    yield from device_rules(name, host)
    yield from alike_ssd_rules(name, host)
    yield from overlap_rules(name, host)
    yield from file_space_rules(name, host)
    yield from in_use_rules(name, host, system)
    yield from numa_rules(name, host)
    yield from core_rules(name, host)
    yield from memory_rules(name, host, version)
    yield from hugepage_rules(name, host)
    yield from pmem_rules(name, host)
    yield from environment_rules(name, host, version, provider)
    yield from effect_rules(name, host, version, provider)
    yield from log_rules(name, host)
    yield from agreement_of_host(name, host)
    yield from setting_rules(name, host)
    yield from advice_rules(name, host)


def rules_of_site(
    site: Site, hosts: Mapping[str, Host], described: Collection[str]
) -> Iterator[Problem]:
    """The problems that only all hosts together show.

    Args:
        site: the part of the description that applies to all hosts.
        hosts: the hosts without errors of their own.
        described: the names of all hosts, valid or not.
    """
    yield from words_of_site(site)
    yield from slurm_rules(site)
    yield from benchmark_rules(site, hosts)
    yield from datasheet_rules(site, hosts)
    yield from speed_rules(site, hosts)
    yield from peer_rules(site, hosts)
    yield from reach_rules(hosts)
    yield from shared_rules(site, hosts)
    if site.daos is not None and site.daos.found is not None:
        yield from found_rules(site.daos, site.daos.found)
    elif site.daos is not None:
        yield from member_rules(site.daos, described)
        yield from system_rules(site.daos, site.provider, hosts)
        yield from address_rules(site.daos, site.provider, hosts)
        yield from mtu_rules(site.daos, hosts)
        yield from clock_rules(site.daos, hosts)
        yield from name_rules(site.daos, hosts)
        for name in dict.fromkeys((*site.daos.servers, *site.daos.agents)):
            if name in hosts:
                yield from limit_rules(name, hosts[name])
        yield from agreement_rules(site.daos, site.provider, hosts)
        yield from fault_domain_rules(site.daos, hosts)
        yield from pool_name_rules(site.daos)
        yield from pool_space_rules(site.daos, hosts)
        yield from pool_rules(site.daos, hosts)
        yield from erasure_code_rules(site.daos)
        yield from mount_rules(site.daos, hosts)
        yield from member_clients(site)
        yield from client_rules(site.daos, site.provider, hosts)
        yield from advice_for_system(site.daos, hosts)
        for name in site.daos.servers:
            if name in hosts:
                host, services = hosts[name], services_of(site, name)
                yield from fabric_rules(name, host, site.provider)
                yield from port_rules(name, host, site.provider, site.daos.port, services)
