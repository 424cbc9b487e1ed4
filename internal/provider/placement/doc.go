// Package placement contains what all kinds of placements share: their arguments and status in Terraform, and how they are validated, planned,
// applied, read and deleted. A kind adds the name of the resource type, its schema and identity, and the conversion between its attributes and [Model].
package placement
