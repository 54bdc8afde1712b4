//! Per tool a type that holds its arguments: a struct, or an enum of the tool's actions.

use proc_macro2::TokenStream;
use quote::quote;
use verbgate_table::{ArgKind, ArgSpec, Choice, Presence, Scalar, ToolSpec, VerbSpec};

use super::docs;
use super::ident::{pascal, plain, variants};
use crate::emit::json_schema::ACTION;

/// The items of one tool.
pub(super) fn tool(tool: &ToolSpec) -> Vec<TokenStream> {
    let mut items = Vec::new();
    items.extend(choices(tool));
    match tool.verbs.as_ref() {
        [verb] if verb.action.is_none() => items.push(single(tool, verb)),
        _ => items.push(several(tool)),
    }
    items.push(methods(tool));
    items
}

/// A tool that is one verb.
fn single(tool: &ToolSpec, verb: &VerbSpec) -> TokenStream {
    let (name, docs, derives) = (pascal(&tool.name), docs(&tool.description), derives(tool));
    let fields = verb.args.iter().map(|arg| field(tool, arg, &quote!(pub)));
    if verb.args.is_empty() {
        quote!(#docs #derives pub struct #name;)
    } else {
        quote!(#docs #derives pub struct #name { #(#fields,)* })
    }
}

/// A tool with actions.
fn several(tool: &ToolSpec) -> TokenStream {
    let (name, tool_docs, derives) = (pascal(&tool.name), docs(&tool.description), derives(tool));
    let actions = tool.verbs.iter().map(|verb| {
        let (action, docs) = (pascal(action_of(verb)), docs(&verb.description));
        let fields = verb.args.iter().map(|arg| field(tool, arg, &quote!()));
        if verb.args.is_empty() { quote!(#docs #action) } else { quote!(#docs #action { #(#fields,)* }) }
    });
    quote!(#tool_docs #derives pub enum #name { #(#actions,)* })
}

/// `NAME`, `arguments` and `call`.
fn methods(tool: &ToolSpec) -> TokenStream {
    let (kind, name) = (pascal(&tool.name), tool.name.as_ref());
    let start = quote!(::verbgate::typed::Arguments::new());
    let chooser = ACTION;
    let arguments = match tool.verbs.as_ref() {
        [verb] if verb.action.is_none() => {
            let sets = verb.args.iter().map(|arg| {
                let field = plain(&arg.name);
                set(arg, &quote!(&self.#field), &quote!(self.#field))
            });
            quote!(#start #(#sets)* .into_json())
        }
        verbs => {
            let arms = verbs.iter().map(|verb| {
                let (action, word) = (pascal(action_of(verb)), action_of(verb));
                // Behind a prefix that no name of a manifest has.
                let locals: Vec<_> = verb.args.iter().map(|arg| plain(&format!("__verbgate_{}", arg.name))).collect();
                let fields = verb.args.iter().zip(&locals).map(|(arg, local)| {
                    let field = plain(&arg.name);
                    quote!(#field: #local)
                });
                let sets =
                    verb.args.iter().zip(&locals).map(|(arg, local)| set(arg, &quote!(#local), &quote!(*#local)));
                let pattern = if verb.args.is_empty() { quote!() } else { quote!({ #(#fields,)* }) };
                quote!(Self::#action #pattern => #start .with(#chooser, #word) #(#sets)* .into_json())
            });
            quote!(match self { #(#arms,)* })
        }
    };
    quote! {
        impl #kind {
            /// The tool's name.
            pub const NAME: &'static str = #name;

            /// The arguments as an agent would send them. They are checked by the call, whoever made them.
            pub fn arguments(&self) -> ::verbgate::serde_json::Value {
                #arguments
            }

            /// Calls the tool: the same way, and the same outcome, as by its name with JSON.
            pub fn call(
                &self,
                session: &::verbgate::session::Session,
                host: &dyn ::verbgate::host::Host,
            ) -> ::verbgate::outcome::Outcome {
                session.call(Self::NAME, &self.arguments(), host)
            }
        }
    }
}

/// A tool's choices, in a module of its name: no two of them, and no tool, share a path.
fn choices(tool: &ToolSpec) -> Option<TokenStream> {
    let mut enums = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for arg in tool.verbs.iter().flat_map(|verb| verb.args.iter()) {
        if let Scalar::Choice(words) = scalar(&arg.kind)
            && !seen.contains(&arg.name.as_ref())
        {
            seen.push(&arg.name);
            enums.push(choice(arg, words));
        }
    }
    if enums.is_empty() {
        return None;
    }
    let (name, kind) = (plain(&tool.name), pascal(&tool.name));
    let about = format!(" The choices of [`{kind}`](super::{kind}).");
    Some(quote!(#[doc = #about] pub mod #name { #(#enums)* }))
}

fn choice(arg: &ArgSpec, words: &[Choice]) -> TokenStream {
    let (name, about) = (pascal(&arg.name), docs(&arg.description));
    let words: Vec<&str> = words.iter().map(|choice| choice.word.as_ref()).collect();
    let variants = variants(&words);
    let variant_docs = words.iter().map(|word| docs(word));
    quote! {
        #about
        #[allow(non_camel_case_types)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq)]
        pub enum #name { #(#variant_docs #variants,)* }

        impl #name {
            /// The word that an agent would send.
            pub const fn word(self) -> &'static str {
                match self { #(Self::#variants => #words,)* }
            }
        }

        impl ::verbgate::typed::Argument for #name {
            fn json(&self) -> ::core::option::Option<::verbgate::serde_json::Value> {
                ::verbgate::typed::Argument::json(self.word())
            }
        }
    }
}

/// Secrets can't be printed, so what holds one can't be either.
fn derives(tool: &ToolSpec) -> TokenStream {
    let secret = tool
        .verbs
        .iter()
        .flat_map(|verb| verb.args.iter())
        .any(|arg| matches!(scalar(&arg.kind), Scalar::Secret { .. }));
    let debug = (!secret).then(|| quote!(::core::fmt::Debug,));
    quote!(#[derive(::core::clone::Clone, #debug ::core::cmp::PartialEq)])
}

fn field(tool: &ToolSpec, arg: &ArgSpec, visibility: &TokenStream) -> TokenStream {
    let (name, docs, kind) = (plain(&arg.name), docs(&arg.description), field_type(tool, arg));
    quote!(#docs #visibility #name: #kind)
}

fn field_type(tool: &ToolSpec, arg: &ArgSpec) -> TokenStream {
    let one = match scalar(&arg.kind) {
        Scalar::String { .. } | Scalar::Path { .. } => quote!(::std::string::String),
        Scalar::Integer { .. } => quote!(i64),
        Scalar::Number { .. } => quote!(f64),
        Scalar::Boolean => quote!(bool),
        Scalar::Choice(_) => {
            let (module, name) = (plain(&tool.name), pascal(&arg.name));
            quote!(self::#module::#name)
        }
        Scalar::Secret { .. } => quote!(::verbgate::table::secret::Secret),
    };
    let whole = match &arg.kind {
        ArgKind::One(_) => one,
        ArgKind::Many { .. } => quote!(::std::vec::Vec<#one>),
    };
    match &arg.presence {
        Presence::Required => whole,
        Presence::Optional if is_flag(arg) => whole,
        Presence::Optional | Presence::Default(_) => quote!(::core::option::Option<#whole>),
    }
}

/// Adds one argument to the builder, by reference or, where a truth value says so itself, by value.
fn set(arg: &ArgSpec, reference: &TokenStream, value: &TokenStream) -> TokenStream {
    let name = arg.name.as_ref();
    if is_flag(arg) && matches!(arg.presence, Presence::Optional) {
        quote!(.flag(#name, #value))
    } else {
        quote!(.with(#name, #reference))
    }
}

fn is_flag(arg: &ArgSpec) -> bool {
    matches!(arg.kind, ArgKind::One(Scalar::Boolean))
}

fn scalar(kind: &ArgKind) -> &Scalar {
    match kind {
        ArgKind::One(scalar) => scalar,
        ArgKind::Many { of, .. } => of,
    }
}

/// The verb's action. A tool with several verbs has one for each.
fn action_of(verb: &VerbSpec) -> &str {
    verb.action.as_deref().unwrap_or_default()
}
