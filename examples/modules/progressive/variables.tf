variable "name" {
  type        = string
  description = "Name of the placement. With the engine direct, the placement of the canaries is called NAME-canary."
}

variable "engine" {
  type        = string
  default     = "direct"
  description = "The provider's engine. With kubefleet, a staged update run updates the clusters. With direct, there are two placements."

  validation {
    condition     = contains(["direct", "kubefleet"], var.engine)
    error_message = "engine must be \"direct\" or \"kubefleet\"."
  }
}

variable "manifests" {
  type        = map(string)
  default     = null
  description = "The objects to place, as YAML. Engine direct."

  validation {
    condition     = (var.manifests == null) == (var.engine == "kubefleet")
    error_message = "Set manifests, or namespace with engine = \"kubefleet\"."
  }
}

variable "namespace" {
  type        = string
  default     = null
  description = "The namespace on the hub that is placed, with all its objects. Engine kubefleet."

  validation {
    condition     = (var.namespace == null) == (var.engine != "kubefleet")
    error_message = "Set namespace if engine is \"kubefleet\", and only then."
  }
}

variable "ring_label" {
  type        = string
  default     = "ring"
  description = "The label of a member that contains its ring."
}

variable "canary" {
  type        = string
  default     = "canary"
  description = "The ring of the canaries. All other members change after them, including those without the label."
}

variable "gate" {
  type        = bool
  default     = true
  description = "Whether the other clusters change only if the placement is available on the canaries. Engine direct: a run of KubeFleet always waits."
}

variable "approval" {
  type        = bool
  default     = false
  description = "Whether the run waits for an approval after the canaries. Engine kubefleet."
}

variable "run" {
  type        = string
  default     = "1"
  description = "Suffix of the name of the run. Another value rolls out the current content of the hub. Engine kubefleet."
}

variable "spread" {
  type = object({
    clusters = number
    label    = optional(string, "region")
  })
  default     = null
  description = "Places on this number of the other clusters, spread over the values of a label. The default is all other clusters. Engine direct."

  validation {
    condition     = var.spread == null || var.engine == "direct"
    error_message = "spread needs engine = \"direct\"."
  }
}

variable "max_unavailable" {
  type        = string
  default     = "25%"
  description = "On how many clusters a placement may be unavailable during a change: a number or a percentage. Engine direct: separately for the canaries and for the others."
}

variable "when_to_take_over" {
  type        = string
  default     = "IfNoDiff"
  description = "IfNoDiff takes over pre-existing objects that do not differ. Always also overwrites differences. Never takes over no object."
}

variable "wait" {
  type = object({
    until      = optional(string)
    on_failure = optional(string)
  })
  default     = null
  description = "The argument wait of the placement."
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
