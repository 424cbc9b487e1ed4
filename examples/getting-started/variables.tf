variable "kubeconfig" {
  type        = string
  description = "Path of a kubeconfig with a context for each member."
  default     = "~/.kube/config"
}

variable "members" {
  type        = set(string)
  description = "Names of the members, which are also the names of their contexts."
  default     = ["member-1", "member-2", "member-3"]
}

variable "production" {
  type        = set(string)
  description = "Names of the members in production."
  default     = ["member-1", "member-2"]
}

# With "Never", pre-existing objects on a cluster remain unchanged. KubeFleet's default is "Always": they are taken over and overwritten.
variable "when_to_take_over" {
  type        = string
  description = "Always, IfNoDiff or Never."
  default     = "Never"
}

variable "greeting" {
  type    = string
  default = "hello"
}
