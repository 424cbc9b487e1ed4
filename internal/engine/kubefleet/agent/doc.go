// Package agent models KubeFleet's member agent as far as a preview needs it: how the agent recognizes its own objects on a member, and how it writes them
// (KubeFleet, pkg/controllers/workapplier).
//
// The agent relies on owner references only: an object belongs to a placement if it refers to one of the placement's AppliedWorks on the member. The agent
// writes with a field manager of its own, and records the applied manifest in an annotation of its own. Dry runs of a preview use the same field manager and
// annotation, so that the API server responds as it would to the agent.
package agent
