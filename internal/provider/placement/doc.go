// Package placement contains what all kinds of placements share: their arguments and status in Terraform, and how they are validated, planned,
// applied, read and deleted. A kind adds the name of the resource type, the identity, and the source of its model.
package placement
