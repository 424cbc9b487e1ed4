// Package rollout says in which order KubeFleet applies objects to a cluster ([Wave], [SortWaves]) and when it takes an applied object for
// available ([AvailabilityOf]).
package rollout
