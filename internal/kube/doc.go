// Package kube talks to Kubernetes clusters. It knows connections, discovery and objects (unstructured ones), and nothing of
// Terraform or placements. It is the only package of the provider that imports client-go.
//
// A Connection is plain data and says how to reach a cluster; a Cluster is the client made from it. Making a Cluster neither dials nor
// reads a file: that happens at its first use, so that a plan works while a cluster does not exist yet. There is one Cluster per
// cluster and process; it is safe for concurrent use, keeps discovery for the life of the process, and draws on a Limiter that all
// clusters share.
//
// Every error that leaves the package is an *Error that names cluster, operation and object, or wraps one of the typed errors
// (ConfigError, ConflictError, UnknownKindError, UnavailableGroupError, StillThereError); the Is functions classify it. Texts never hold
// credentials, nor the content of Secrets.
package kube
