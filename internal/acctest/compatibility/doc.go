// Package compatibility describes the released versions of the provider to its tests: their schemas, their states and their records.
//
// testdata has one folder per version. The headings of CHANGELOG.md decide which of them are released: the first version is in preparation while its heading
// says "(Unreleased)". With -update, the tests write the folder of that version. They never write the folder of a released version.
package compatibility
