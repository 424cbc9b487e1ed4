// Package host reads and writes what stands on a host of KubeAdmiral. Of objects that others have made it writes the keys alone by which they belong
// to a placement, and takes these off again.
package host
