variable "name" {
  type        = string
  description = "Name of the placement and of its override."
}

variable "workload" {
  type = object({
    group     = optional(string, "apps")
    version   = optional(string, "v1")
    kind      = optional(string, "Deployment")
    namespace = string
    name      = string
  })
  description = "The workload that differs between the regions."
}

variable "manifests" {
  type        = map(string)
  default     = null
  description = "The objects of the application, as YAML. By default, the module places the namespace of the workload, which is on the hub. The engine kubefleet needs the default."
}

variable "regions" {
  type = map(object({
    replicas = optional(number)
    patches = optional(list(object({
      op    = string
      path  = string
      value = optional(string)
    })), [])
  }))
  description = "The regions to place on, by the value of the label region_label of the members: the replicas there, and patches (RFC 6902) of the workload, with values as JSON."

  validation {
    condition     = length(var.regions) > 0 && length(var.regions) <= 20
    error_message = "regions must contain 1 to 20 regions: an override has at most 20 rules."
  }
}

variable "region_label" {
  type        = string
  default     = "region"
  description = "The label of a member that contains its region."
}

variable "max_unavailable" {
  type        = string
  default     = "25%"
  description = "On how many clusters the application may be unavailable during a change: a number or a percentage."
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
