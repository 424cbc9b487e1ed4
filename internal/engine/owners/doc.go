// Package owners determines the owners of objects on members: of one object, with all marks and field managers, or of many objects. It reads only the metadata
// of objects.
package owners
