// Package hubs tests the engine on hubs that differ from a healthy hub of the newest release: with other versions of the API, with webhooks, created by
// Azure, with a thousand members, with restricted accounts, and with faults.
package hubs
