"""The commands of `assay`, one module each; `assay.cli` lists them.

A command imports its modules when it runs. Judging needs numpy and scipy, and charts take even
longer to load; printing the version or the samples of a tool needs none of them.
"""
