// Package dispatch models how the control plane of KubeAdmiral handles objects on a member, as far as previews need it: how it recognizes its own objects and
// how it writes objects (KubeAdmiral, pkg/controllers/sync/dispatch).
//
// The control plane recognizes its own objects only by a label. It ignores owner references, replaces whole objects, and does not check whether a replacement
// restarts Pods.
package dispatch
