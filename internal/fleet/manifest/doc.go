// Package manifest parses YAML text into Kubernetes objects and identifies them.
//
// The other domain packages share its types: an [Identifier] identifies an object, an [Object] has its content. The package does not access
// clusters. Callers with a cluster check whether a kind exists or is namespaced.
package manifest
