// Package kube is the client of Kubernetes clusters. It handles discovery and unstructured objects, and does not depend on Terraform or
// placements. Apart from tests and their helpers, only this package and its subpackages import client-go.
//
// A connection.Connection has the settings of a connection to a cluster. A Cluster is the client of one cluster. It reads files and connects only when it is
// first used, so that a plan works before the cluster exists. There is one Cluster per cluster and process. It is safe for concurrent use, caches discovery
// for its lifetime, and uses a Limiter that all clusters share.
//
// Every error of an operation is or wraps an *Error, which names cluster, operation and object. An *Error can wrap one of the typed errors
// (connection.ConfigError, ConflictError, UnknownKindError, UnavailableGroupError, NotServedError, StillThereError). The Is functions classify errors. Error
// texts never contain credentials or the content of Secrets.
//
// # Files
//
// A file is named after the operation, then after its subject:
//
//   - connection/: the user's settings of a connection, and the kubeconfig. A new argument of a connection belongs here.
//   - credential/: credential plugins.
//   - transport/: HTTP requests: reachability, time limits, requests in flight, counts.
//   - objectschema/: the types of built-in kinds.
//   - cluster*.go, options.go, limiter.go: a Cluster, its connection, and the check of the cluster's identity. call.go runs every operation.
//   - discovery*.go, absence.go: which kinds a cluster serves.
//   - read*.go: one object (read.go), lists page by page (read_list.go, read_pages.go, read_raw.go), many objects in few requests (read_many.go), shared
//     reads (read_shared*.go), the identity of a cluster (read_identity.go).
//   - write*.go: create, update, patch, delete, and the wait until an object is gone.
//   - apply*.go: server-side apply, and client-side apply with its merge rules and its last applied annotation.
//   - access*.go: what the account may do.
//   - handover.go, service_account_token.go: addresses and credentials for other programs.
//   - ref.go, answer.go, memo.go: references to objects, the check of answers, cached values.
//   - error*.go: the error types (error.go, error_types.go, error_conflict.go), their classes (error_classify.go),
//     their texts (error_explain.go), and what is removed from errors about Secrets (error_redact.go).
package kube
