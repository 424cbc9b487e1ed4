// Package dispatch is what the control plane of KubeAdmiral does to objects on a member, as far as a preview has to know it: by what it tells its own
// objects from those of others, and how it writes them (KubeAdmiral, pkg/controllers/sync/dispatch).
//
// It owns by a label alone, looks at no owner references, and replaces objects as a whole. What it never looks at is whether that restarts pods.
package dispatch
