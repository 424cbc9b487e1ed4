// Package owners reads from members who owns their objects: one object with all its marks and field managers, or many objects by their metadata. It never
// reads the content of an object.
package owners
