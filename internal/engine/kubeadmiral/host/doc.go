// Package host reads and writes objects on a KubeAdmiral host. On objects that the provider did not create, it only sets and removes the keys by which they
// belong to a placement.
package host
