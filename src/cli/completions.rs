//! `galley completions` and `galley man`: shell completions and manual pages of the command line.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::terminal;
use crate::cli::command_failure::CommandFailure;

/// The arguments of `completions`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley completions bash > ~/.local/share/bash-completion/completions/galley\n  \
                  galley completions zsh > ~/.zfunc/_galley\n  \
                  galley completions fish > ~/.config/fish/completions/galley.fish"
)]
pub struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

/// Prints the completion script of a shell for `command`, the whole command line.
pub fn print(
    arguments: &CompletionsArguments,
    mut command: Command,
) -> Result<ExitCode, CommandFailure> {
    // The library panics on write errors, so the script is generated in memory first.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "galley", &mut script);
    io::Write::write_all(&mut terminal::data(), &script)?;
    Ok(ExitCode::SUCCESS)
}

/// The arguments of `man`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley man | man -l -\n  galley man ~/.local/share/man/man1\n  galley man /usr/local/share/man/man1"
)]
pub struct ManArguments {
    /// Write a page for each command into this folder, which is created if necessary, instead of
    /// printing galley(1)
    dir: Option<PathBuf>,
}

/// Prints the manual of `command`, the whole command line, or writes one page for each command.
pub fn manual(arguments: &ManArguments, command: Command) -> Result<ExitCode, CommandFailure> {
    // Otherwise `help` and its subcommands would get pages, too.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    match &arguments.dir {
        None => Man::new(command).render(&mut terminal::data())?,
        Some(folder) => write_pages(&command, folder).map_err(|error| {
            CommandFailure::Command(format!("cannot write to {}: {error}", folder.display()))
        })?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages of a command and its subcommands, down to the second level.
fn write_pages(command: &Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    write_page(command, "galley", folder)?;
    for command in command.get_subcommands() {
        let name = format!("galley-{}", command.get_name());
        write_page(command, &name, folder)?;
        for below in command.get_subcommands() {
            write_page(below, &format!("{name}-{}", below.get_name()), folder)?;
        }
    }
    Ok(())
}

fn write_page(command: &Command, name: &str, folder: &Path) -> io::Result<()> {
    let mut page = Vec::new();
    let command = command
        .clone()
        .display_name(name.to_owned())
        .version(super::version::VERSION);
    Man::new(command).title(name).render(&mut page)?;
    fs::write(folder.join(format!("{name}.1")), page)
}
