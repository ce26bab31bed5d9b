"""The commands of `assay`, a module each; `assay.cli` lists them.

A command imports what it needs when it runs: to judge takes numpy and scipy, to draw takes longer,
and to print the version or the samples of a tool takes neither.
"""
