// Package agent is what KubeFleet's member agent does to objects on a member, as far as a preview has to know it: by what it tells its own
// objects from those of others, and how it writes them (KubeFleet, pkg/controllers/workapplier).
//
// The agent owns by owner reference alone: an object is a placement's own when it refers to one of the AppliedWorks that stand for the
// placement on the member. It writes in its own name, and keeps what it applied in its own annotation. A preview tries its writes with the
// same name and annotation, so that the API server answers as it will answer the agent.
package agent
