"""What our action plugins raise."""

class AnsibleTemplateError(Exception): ...
class AnsibleActionFail(Exception): ...  # noqa: N818 it is Ansible's name
