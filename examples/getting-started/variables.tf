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

variable "greeting" {
  type    = string
  default = "hello"
}
