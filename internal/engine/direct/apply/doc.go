// Package apply executes a plan of the direct engine: it writes the inventories ahead, writes the objects to the clusters as the rolling update allows,
// removes objects that no longer belong there, and completes the inventories. It returns the placement's status.
package apply
