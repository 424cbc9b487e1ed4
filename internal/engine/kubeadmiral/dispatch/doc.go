// Package dispatch models how the control plane of KubeAdmiral handles objects on a member, as far as previews need it: how it recognizes its own objects and
// how it writes objects (KubeAdmiral, pkg/controllers/sync/dispatch).
//
// A label alone makes an object the control plane's. The control plane ignores owner references, replaces whole objects, and does not check whether a
// replacement restarts Pods.
package dispatch
