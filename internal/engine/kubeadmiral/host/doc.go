// Package host reads and writes objects on a KubeAdmiral host. On the objects that a placement selects, it only sets and removes labels and annotations.
package host
