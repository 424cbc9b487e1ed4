// Package kube talks to Kubernetes clusters. It knows discovery and objects (unstructured ones), and nothing of Terraform or placements.
// Only it and the packages below it import client-go.
//
// A connection.Connection is plain data and says how to reach a cluster; a Cluster is the client made from it. Making a Cluster neither
// dials nor reads a file: that happens at its first use, so that a plan works while a cluster does not exist yet. There is one Cluster per
// cluster and process; it is safe for concurrent use, keeps discovery for the life of the process, and draws on a Limiter that all
// clusters share.
//
// Every error that leaves the package is an *Error that names cluster, operation and object, or wraps one of the typed errors
// (connection.ConfigError, ConflictError, UnknownKindError, UnavailableGroupError, StillThereError); the Is functions classify it. Texts
// never hold credentials, nor the content of Secrets.
//
// # Where things are
//
// A file is named after what is done, then after its subject:
//
//   - connection/: what a user says of a cluster, and the kubeconfig. A new argument of a connection goes there.
//   - transport/: HTTP requests on their way: whether a cluster is reachable, time limits, requests in flight, counts.
//   - cluster.go, options.go, limiter.go: how a Cluster is made, and the way of every operation through call.
//   - discovery*.go: which kinds a cluster serves.
//   - read*.go: one object (read.go), lists page by page (read_list.go, read_raw.go), many objects in few requests (read_many.go), reads
//     that share their answers (read_shared*.go), who a cluster is (read_identity.go).
//   - write*.go: create, update, patch, delete, and the wait until an object is gone.
//   - apply*.go: server-side apply, and client-side apply with its merge rules and the annotation of what was applied last.
//   - access*.go: what the account may do.
//   - error*.go: the errors (error.go, error_kind.go, error_conflict.go, error_credential.go), what class one belongs to
//     (error_classify.go), how it is worded for people (error_explain.go), and what is withheld of one about a Secret (error_redact.go).
package kube
