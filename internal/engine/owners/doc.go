// Package owners determines the owners of objects on members: of one object, with all marks and field managers, or of many objects. Of these objects, it reads
// only the metadata.
package owners
