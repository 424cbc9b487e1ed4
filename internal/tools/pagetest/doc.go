// Package pagetest opens the pages of the function preview_html in a real browser. `make page-test` runs it.
package pagetest
