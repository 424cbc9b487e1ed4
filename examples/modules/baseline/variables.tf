variable "name" {
  type        = string
  default     = "baseline"
  description = "Name of the placement, and of the objects in each namespace."
}

variable "namespaces" {
  type = map(object({
    labels   = optional(map(string), {})
    quota    = optional(map(string), {})
    requests = optional(map(string), {})
    limits   = optional(map(string), {})
    isolated = optional(bool, true)
  }))
  description = "The namespaces of every member, by name: labels, the limits of a ResourceQuota, requests and limits of containers that have none, and whether only Pods of the namespace reach its Pods."
}

variable "manifests" {
  type        = map(string)
  default     = {}
  description = "Additional objects for every member, as YAML, such as a ValidatingAdmissionPolicy. A manifest under a key of the output manifests replaces that of the module."
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
