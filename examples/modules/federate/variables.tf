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
  description = "The workload. What belongs to it comes along: its Services, ConfigMaps, ServiceAccount, HorizontalPodAutoscaler and so on."
}

variable "include_related" {
  type        = bool
  default     = true
  description = "Whether what belongs to the workload comes along."
}

variable "leave_out" {
  type        = set(string)
  default     = []
  description = "Keys of what is not placed, such as configmap.shop.settings.yaml: what several workloads share can be in one placement only."

  validation {
    condition = length(setsubtract(var.leave_out, keys(fleet_workload.this.manifests))) == 0
    error_message = format("What belongs to the workload has no key %s. Its keys are %s.",
      join(", ", setsubtract(var.leave_out, keys(fleet_workload.this.manifests))), join(", ", keys(fleet_workload.this.manifests))
    )
  }
}

variable "engine" {
  type        = string
  default     = "direct"
  description = "The provider's engine. A hub of KubeFleet places what is in an envelope on it, the other engines the manifests as they are."

  validation {
    condition     = contains(["direct", "kubefleet", "kubeadmiral"], var.engine)
    error_message = "engine is \"direct\", \"kubefleet\" or \"kubeadmiral\"."
  }
}

variable "name" {
  type        = string
  default     = null
  description = "Name of the placement. Left out, it is NAMESPACE-NAME of the workload."
}

variable "clusters" {
  type        = list(string)
  default     = null
  description = "The members to place on. Left out, it is the one on which the workload runs."
}

variable "policy" {
  type        = any
  default     = null
  description = "The policy of the placement, instead of clusters."
}

variable "manifests" {
  type        = map(string)
  default     = {}
  description = "Further manifests, or others under the keys of the output manifests."
}

variable "when_to_take_over" {
  type        = string
  default     = "IfNoDiff"
  description = "IfNoDiff takes over what does not differ, on every member by itself. Always overwrites, which may restart Pods: the plan says so."
}

variable "propagation_policy" {
  type        = string
  default     = null
  description = "Delete or Abandon: what becomes of the objects when the module is destroyed. Left out, what was there before stays."
}

variable "wait" {
  type = object({
    until      = optional(string)
    on_failure = optional(string)
  })
  default     = null
  description = "What an apply waits for: the argument wait of the placement. until = \"Applied\" does not wait for Pods, as on a member that lacks a Secret that is left out."
}

variable "timeouts" {
  type = object({
    create = optional(string)
    read   = optional(string)
    update = optional(string)
    delete = optional(string)
  })
  default     = null
  description = "How long the placement's operations may take, such as 5m."
}
