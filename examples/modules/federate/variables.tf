variable "cluster" {
  type        = string
  description = "The member on which the workload runs, a key of the provider argument members. A fleet_member_cluster registers it."
}

variable "workload" {
  type = object({
    group     = optional(string, "apps")
    version   = optional(string, "v1")
    kind      = optional(string, "Deployment")
    namespace = string
    name      = string
  })
  description = "The workload. Its related objects, such as Services, ConfigMaps, its ServiceAccount and its HorizontalPodAutoscaler, are included."
}

variable "include_related" {
  type        = bool
  default     = true
  description = "Whether to include the related objects of the workload."
}

variable "leave_out" {
  type        = set(string)
  default     = []
  description = "Keys of manifests that are not placed, such as configmap.shop.settings.yaml. An object that several workloads share can be in only one placement."

  validation {
    condition = length(setsubtract(var.leave_out, keys(fleet_workload.this.manifests))) == 0
    error_message = format("The workload and its related objects have no key %s. Their keys are %s.",
      join(", ", setsubtract(var.leave_out, keys(fleet_workload.this.manifests))), join(", ", keys(fleet_workload.this.manifests))
    )
  }
}

variable "engine" {
  type        = string
  default     = "direct"
  description = "The provider's engine. With kubefleet, an envelope on the hub carries the manifests. With the other engines, the placement contains them."

  validation {
    condition     = contains(["direct", "kubefleet", "kubeadmiral"], var.engine)
    error_message = "engine must be \"direct\", \"kubefleet\" or \"kubeadmiral\"."
  }
}

variable "name" {
  type        = string
  default     = null
  description = "Name of the placement. The default is NAMESPACE-NAME of the workload."
}

variable "clusters" {
  type        = list(string)
  default     = null
  description = "The members to place on. The default is the member on which the workload runs."
}

variable "policy" {
  type        = any
  default     = null
  description = "The policy of the placement, instead of clusters."
}

variable "manifests" {
  type        = map(string)
  default     = {}
  description = "Additional manifests. A manifest under a key of the output manifests replaces the copied one."
}

variable "when_to_take_over" {
  type        = string
  default     = "IfNoDiff"
  description = "IfNoDiff takes over objects that do not differ. Always also overwrites differences, which can restart Pods, as the plan shows. Never takes over no object."
}

variable "propagation_policy" {
  type        = string
  default     = null
  description = "Delete or Abandon: what happens to the objects when the module is destroyed. By default, pre-existing objects remain."
}

variable "wait" {
  type = object({
    until      = optional(string)
    on_failure = optional(string)
  })
  default     = null
  description = "The argument wait of the placement. If Pods cannot start, for example without a Secret, set until = \"Applied\": an apply then does not wait for them."
}

variable "timeouts" {
  type = object({
    create = optional(string)
    read   = optional(string)
    update = optional(string)
    delete = optional(string)
  })
  default     = null
  description = "Timeouts of the placement's operations, such as 5m."
}
