//! `simple add PATH|GIT`: writes a dependency into `simple.sdn`, and brings it here.

use super::fetch;
use super::git;
use super::manifest::{
    FETCHED, MANIFEST, Manifest, Origin, project_of, refuse_name, text, with_dependency,
};
use crate::args::AddArgs;
use crate::commands::bad_usage;
use crate::output::{complain, say};
use crate::surroundings::absolute;
use simple_system::{in_words, replace};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

/// Adds what the command line names to the project of the working folder.
pub fn add(args: &AddArgs) -> ExitCode {
    let here = absolute(Path::new("."));
    let Some(project) = project_of(&here) else {
        return bad_usage(
            "found no simple.sdn with `project:` in this folder or above; `simple new NAME` makes one",
        );
    };
    let made = match is_git(&args.source) || args.rev.is_some() {
        true => from_git(args, &project),
        false => from_folder(args, &project, &here),
    };
    match made {
        Ok(name) => {
            say!("added {name}; modules import it by `use {name}.{{...}}`");
            ExitCode::SUCCESS
        }
        Err(message) => {
            complain!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Whether a word is the address of a repository rather than a folder.
fn is_git(word: &str) -> bool {
    word.contains("://") || word.ends_with(".git") || word.starts_with("git@")
}

fn from_folder(args: &AddArgs, project: &Path, here: &Path) -> Result<String, String> {
    let folder = absolute(&here.join(&args.source));
    if !folder.is_dir() {
        return Err(format!("cannot find the folder {}", folder.display()));
    }
    if folder == project {
        return Err("a project cannot depend on itself".to_owned());
    }
    let name = name_of(args, &folder, &args.source)?;
    let path = relative(project, &folder);
    write(project, &name, &Origin::Path(path.display().to_string()))?;
    fetch::ensure(project).map(|()| name)
}

fn from_git(args: &AddArgs, project: &Path) -> Result<String, String> {
    // Its manifest, which has its name, is known when it is here.
    let place = project
        .join(FETCHED)
        .join(format!("new-{}", std::process::id()));
    let named = git::fetch(&args.source, args.rev.as_deref(), &place)
        .and_then(|fetched| Ok((name_of(args, &place, &args.source)?, fetched.commit)));
    let _ = std::fs::remove_dir_all(&place);
    let (name, commit) = named?;
    let rev = args.rev.clone().unwrap_or(commit);
    let old = std::fs::remove_dir_all(project.join(FETCHED).join(&name));
    drop(old);
    write(project, &name, &Origin::Git(args.source.clone(), rev))?;
    fetch::ensure(project).map(|()| name)
}

/// The name of a dependency: the one that is given, that of its manifest, or the last part of its address.
fn name_of(args: &AddArgs, folder: &Path, source: &str) -> Result<String, String> {
    if let Some(name) = &args.name {
        refuse_name(name)?;
        return Ok(name.clone());
    }
    if folder.join(MANIFEST).is_file()
        && let Some(project) = Manifest::read(folder)?.project
    {
        return Ok(project.name);
    }
    let last = source
        .trim_end_matches('/')
        .rsplit(['/', ':'])
        .next()
        .unwrap_or(source);
    let last = match last {
        "." | ".." | "" => folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        last => last.trim_end_matches(".git").to_owned(),
    };
    let name = last.to_lowercase().replace('-', "_");
    refuse_name(&name).map_err(|why| format!("{why} with `--name NAME`"))?;
    Ok(name)
}

fn write(project: &Path, name: &str, origin: &Origin) -> Result<(), String> {
    let path = project.join(MANIFEST);
    let changed = with_dependency(&text(project)?, name, origin);
    Manifest::parse(&changed).map_err(|why| format!("{}: {why}", path.display()))?;
    replace::write(&path, changed.as_bytes())
        .map_err(|error| format!("cannot write {}: {}", path.display(), in_words(&error)))
}

/// The path of a folder from another one.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let common = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    up.chain(to.components().skip(common)).collect()
}
