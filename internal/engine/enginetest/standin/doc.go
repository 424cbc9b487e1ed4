// Package standin is code that the fake control planes of KubeFleet and KubeAdmiral share.
package standin
