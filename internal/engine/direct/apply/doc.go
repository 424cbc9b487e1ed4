// Package apply carries out a plan of the direct engine: it writes the inventories ahead, brings the objects to the
// clusters as the rolling update allows, removes what is left over, and completes the inventories. It reports what came of it as the
// placement's status.
package apply
