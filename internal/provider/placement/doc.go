// Package placement is what all kinds of placements share: their arguments and status as Terraform has them, and how they are checked, planned,
// applied, read and deleted. A kind adds its own name to it: the type of the resource, what identifies it, and where its model is read from.
package placement
