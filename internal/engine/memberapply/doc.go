// Package memberapply applies to one member what memberpreview has decided: it writes the objects wave by wave, decides again about objects
// that have changed since, and waits until the written objects are available. It records the result of every object as KubeFleet's conditions.
package memberapply
