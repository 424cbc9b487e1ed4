// Package memberapply carries out on one member what memberpreview has decided: it writes the objects wave by wave, decides again about what
// has changed since, and watches what was written until it is available. It keeps what came of every object as KubeFleet's conditions.
package memberapply
