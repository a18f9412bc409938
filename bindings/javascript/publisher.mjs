// The publisher of the package: the variable BROADSIDE_PUBLISHER, as cmake/broadside_publisher.cmake has it.

/**
 * Fields of package.json. Without a publisher the package is private, and npm refuses to publish it.
 */
export function publisherFields(publisher) {
    if (!publisher) return { private: true };
    const [, author, url] = /^([^<>;]+ <[^<>@ ;]+@[^<>@ ;]+>);((?:https?|ssh|git|file):\/\/[^ ;]+)$/.exec(publisher) ?? [];
    if (author === undefined) {
        throw new Error(`BROADSIDE_PUBLISHER is '${publisher}': a package needs the contact and the address of the ` +
            'repository of those who publish it, as in "Name <name@example.org>;https://example.org/broadside.git"');
    }
    return { author, repository: { type: 'git', url: /^https?:/.test(url) ? `git+${url}` : url } };
}
